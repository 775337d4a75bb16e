/** Sign-up: a person and a tenant of theirs. */

import { api, enter, formOf, mailField, navigate, newPasswordField, quiet, tags, textField } from "../../kit.js";

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
    enter(await api.post("/v1/auth/sign-up", given, { mayBeUnknown: true }));
    navigate("/console");
  };
  return [
    tags.h1("Open an account"),
    formOf(fields, signUp, { words: "Open the account" }),
    quiet("You have one? ", tags.a({ href: "/console/log-in" }, "Log in"), "."),
  ];
}
