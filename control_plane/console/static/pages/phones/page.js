/** Carriers, numbers, and limits against toll fraud. */

import { icon } from "../../components/icon.js";
import { pageHead } from "../../components/page_head.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { carrierTable, connectCarrier } from "./carriers.js";
import { limitsForm } from "./limits.js";
import { numberTable, registerNumber } from "./numbers.js";

const { button, h2, section } = tags;
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
        button({ type: "button", onclick: connectCarrier }, "Connect a carrier"),
        button({ type: "button", class: "primary", onclick: () => registerNumber(agents) }, icon("plus"), "Register a number"),
      ],
    }),
    section({ class: "sections" }, h2("Numbers"), numberTable(numbers, agents)),
    section({ class: "sections" }, h2("Carriers"), carrierTable(carriers)),
    section({ class: "sections" }, h2("Limits of calls to phones"), limitsForm(settings)),
  ];
}
