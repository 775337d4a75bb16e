/** Log-in. Where the person wanted to go is in `?next=`. */

import { api, enter, formOf, mailField, navigate, quiet, secretField, tags } from "../../kit.js";

const { a, h1 } = tags;

/** Only an address of the console: the parameter can come from anybody. */
function destination(query) {
  const next = query.get("next") ?? "";
  return /^\/console(\/|$|\?)/.test(next) ? next : "/console";
}

export async function page({ query }) {
  const fields = [
    mailField({ autocomplete: "username" }),
    secretField("password", "Password", { autocomplete: "current-password" }),
  ];
  const logIn = async (given) => {
    enter(await api.post("/v1/auth/login", given, { mayBeUnknown: true }));
    navigate(destination(query), { replace: true });
  };
  return [
    h1("Log in"),
    formOf(fields, logIn, { words: "Log in" }),
    quiet(a({ href: "/console/forgotten" }, "Forgotten your password?")),
    quiet("New here? ", a({ href: "/console/sign-up" }, "Open an account"), "."),
    quiet("You run this installation? ", a({ href: "/console/operator" }, "Operator"), "."),
  ];
}
