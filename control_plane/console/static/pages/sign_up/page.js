/** Sign-up: a person and a tenant of theirs. */

import { formOf } from "../../components/form.js";
import { textField } from "../../components/fields.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { navigate } from "../../core/router.js";
import { enter } from "../../core/session.js";

const { a, h1, p } = tags;

export async function page() {
  const fields = [
    textField("tenant_name", "Company or team", {
      required: true,
      autocomplete: "organization",
      hint: "Agents, calls and keys belong to it. You can invite others.",
    }),
    textField("name", "Your name", { mayBeNull: true, autocomplete: "name", hint: "Optional." }),
    textField("email", "Mail address", { type: "email", required: true, autocomplete: "username" }),
    textField("password", "Password", {
      type: "password",
      required: true,
      minlength: 10,
      maxlength: 200,
      autocomplete: "new-password",
      hint: "10 characters or more, and not your mail address.",
    }),
  ];
  const signUp = async (given) => {
    enter(await api.post("/v1/auth/sign-up", given, { mayBeUnknown: true }));
    navigate("/console");
  };
  return [
    h1("Open an account"),
    formOf(fields, signUp, { words: "Open the account" }),
    p({ class: "quiet" }, "You have one? ", a({ href: "/console/log-in" }, "Log in"), "."),
  ];
}
