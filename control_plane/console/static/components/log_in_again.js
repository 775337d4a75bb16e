/** Asks for the password over the page when the session has ended, so that nothing that was typed there is lost. */

import { logIn, session } from "../core/session.js";
import { formDialog } from "./dialog.js";
import { secretField } from "./fields.js";

/** @returns whether the same person is logged in to the same tenant again. */
export async function logInAgain() {
  const { user, tenant } = session();
  const answer = await formDialog("Log in again", {
    about: `Your session as ${user.email} has ended. The page stays as it is.`,
    fields: [secretField("password", "Password", { autocomplete: "current-password" })],
    send: (given) => logIn("login", { email: user.email, tenant_id: tenant.id, ...given }),
    words: "Log in",
  });
  return answer !== undefined;
}
