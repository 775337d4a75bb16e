/** Log-in. Where the person wanted to go is in `?next=`. */

import { formOf } from "../../components/form.js";
import { textField } from "../../components/fields.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { navigate } from "../../core/router.js";
import { enter } from "../../core/session.js";

const { a, h1, p } = tags;

/** Only an address of the console: the parameter can come from anybody. */
function destination(query) {
  const next = query.get("next") ?? "";
  return /^\/console(\/|$|\?)/.test(next) ? next : "/console";
}

export async function page({ query }) {
  const fields = [
    textField("email", "Mail address", { type: "email", required: true, autocomplete: "username" }),
    textField("password", "Password", {
      type: "password",
      required: true,
      autocomplete: "current-password",
    }),
  ];
  const logIn = async (given) => {
    enter(await api.post("/v1/auth/login", given, { mayBeUnknown: true }));
    navigate(destination(query), { replace: true });
  };
  return [
    h1("Log in"),
    formOf(fields, logIn, { words: "Log in" }),
    p({ class: "quiet" }, a({ href: "/console/forgotten" }, "Forgotten your password?")),
    p({ class: "quiet" }, "New here? ", a({ href: "/console/sign-up" }, "Open an account"), "."),
    p({ class: "quiet" }, "You run this installation? ", a({ href: "/console/operator" }, "Operator"), "."),
  ];
}
