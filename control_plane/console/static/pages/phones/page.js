/** Carriers, numbers, and limits against toll fraud. */

import { adding, pageHead, part, press } from "../../kit.js";
import { carrierTable, connectCarrier } from "./carriers.js";
import { limitsForm } from "./limits.js";
import { numberTable, registerNumber } from "./numbers.js";

const MOST = 500;

export async function page({ get }) {
  const [{ carriers }, { numbers }, settings, { agents }] = await Promise.all([
    get("/v1/carriers", { limit: MOST }),
    get("/v1/numbers", { limit: MOST }),
    get("/v1/phone-settings"),
    get("/v1/agents", { limit: MOST }),
  ]);
  return [
    pageHead("Phones", {
      about: "Connect the carrier where you have your numbers, register them, and let agents answer.",
      actions: [
        press("Connect a carrier", connectCarrier),
        adding("Register a number", () => registerNumber(agents)),
      ],
    }),
    numberTable(numbers, agents),
    carrierTable(carriers),
    part("Limits of calls to phones", limitsForm(settings)),
  ];
}
