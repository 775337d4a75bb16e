/** Sign-up: a person and a tenant of theirs. */

import { a, formOf, h1, logIn, mailField, navigate, newPasswordField, quiet, textField } from "../../kit.js";

export async function page() {
  const fields = [
    textField("tenant_name", "Company or team", {
      autocomplete: "organization",
      hint: "Agents, calls and keys belong to it. You can invite others.",
    }),
    textField("name", "Your name", { mayBeNull: true, autocomplete: "name", hint: "Optional." }),
    mailField({ autocomplete: "username" }),
    newPasswordField("password", "Password", "10 characters or more, and not your mail address."),
  ];
  const signUp = async (given) => {
    await logIn("sign-up", given);
    navigate("/console");
  };
  return [
    h1("Open an account"),
    formOf(fields, signUp, { words: "Open the account" }),
    quiet("You have one? ", a({ href: "/console/log-in" }, "Log in"), "."),
  ];
}
