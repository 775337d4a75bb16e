/** Carriers, numbers, and limits against toll fraud. */

import { api, icon, pageHead, part, press } from "../../kit.js";
import { carrierTable, connectCarrier } from "./carriers.js";
import { limitsForm } from "./limits.js";
import { numberTable, registerNumber } from "./numbers.js";

const MOST = 500;

export async function page({ signal }) {
  const [{ carriers }, { numbers }, settings, { agents }] = await Promise.all([
    api.get("/v1/carriers", { limit: MOST }, signal),
    api.get("/v1/numbers", { limit: MOST }, signal),
    api.get("/v1/phone-settings", {}, signal),
    api.get("/v1/agents", { limit: MOST }, signal),
  ]);
  return [
    pageHead("Phones", {
      about: "Connect the carrier where you have your numbers, register them, and let agents answer.",
      actions: [
        press("Connect a carrier", connectCarrier),
        press([icon("plus"), "Register a number"], () => registerNumber(agents), "primary"),
      ],
    }),
    numberTable(numbers, agents),
    carrierTable(carriers),
    part("Limits of calls to phones", limitsForm(settings)),
  ];
}
