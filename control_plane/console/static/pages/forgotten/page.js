/** Asks for the mail with which a new password is set. */

import { a, api, div, fill, formOf, h1, mailField, p, quiet } from "../../kit.js";

export async function page() {
  const place = div();
  const ask = async ({ email }) => {
    await api.post("/v1/auth/password-reset", { email });
    const sent = p(
      { role: "status" },
      `If ${email} has an account here, a mail with a link to set a new password is on its way. ` +
        "The link works for an hour.",
    );
    fill(place, sent);
  };
  fill(place, formOf([mailField({ autocomplete: "username" })], ask, { words: "Send the mail" }));
  return [
    h1("Set a new password"),
    place,
    quiet(a({ href: "/console/log-in" }, "Back to log-in")),
  ];
}
