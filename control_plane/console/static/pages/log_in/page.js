/** Log-in. Where the person wanted to go is in `?next=`. */

import { a, formOf, h1, logIn, mailField, navigate, quiet, secretField } from "../../kit.js";

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
  const send = async (given) => {
    await logIn("login", given);
    navigate(destination(query), { replace: true });
  };
  return [
    h1("Log in"),
    formOf(fields, send, { words: "Log in" }),
    quiet(a({ href: "/console/forgotten" }, "Forgotten your password?")),
    quiet("New here? ", a({ href: "/console/sign-up" }, "Open an account"), "."),
    quiet("You run this installation? ", a({ href: "/console/operator" }, "Operator"), "."),
  ];
}
