/** The person: name, password, and where they are logged in. */

import { formOf } from "../../components/form.js";
import { textField } from "../../components/fields.js";
import { report, tell } from "../../components/notices.js";
import { pageHead } from "../../components/page_head.js";
import { tableOf } from "../../components/table.js";
import { badge } from "../../components/badge.js";
import { api } from "../../core/api.js";
import { tags } from "../../core/elements.js";
import { ago, dateTime } from "../../core/format.js";
import { refresh } from "../../core/router.js";
import { enter, session } from "../../core/session.js";

const { button, div, h2, section } = tags;

function nameForm(me) {
  const name = textField("name", "Your name", { mayBeNull: true, autocomplete: "name" });
  name.set(me.user.name);
  const save = async (given) => {
    enter(await api.patch("/v1/me", given));
    await refresh();
    tell("Saved");
  };
  return section({ class: "card" }, h2("You"), formOf([name], save, { words: "Save the name" }));
}

function passwordForm() {
  const fields = [
    textField("current_password", "Password now", {
      type: "password",
      required: true,
      autocomplete: "current-password",
    }),
    textField("new_password", "New password", {
      type: "password",
      required: true,
      minlength: 10,
      maxlength: 200,
      autocomplete: "new-password",
      hint: "10 characters or more. Your other sessions end.",
    }),
  ];
  const save = async (given) => {
    await api.put("/v1/me/password", given);
    await refresh();
    tell("Your new password is set");
  };
  return section({ class: "card" }, h2("Password"), formOf(fields, save, { words: "Set the password" }));
}

async function end(path) {
  try {
    await api.delete(path);
    await refresh();
  } catch (error) {
    report(error);
  }
}

function sessionsCard(sessions) {
  const columns = [
    { words: "Browser", kind: "main long", cell: (row) => row.user_agent ?? "Unknown" },
    { words: "Address", cell: (row) => row.address ?? "–" },
    { words: "Last used", kind: "when", cell: (row) => ago(row.last_used_at) },
    { words: "Ends", kind: "when", cell: (row) => dateTime(row.expires_at) },
    {
      words: "",
      kind: "actions",
      cell: (row) =>
        row.is_current
          ? badge("verified", "This one")
          : button(
              { type: "button", class: "small", onclick: () => end(`/v1/me/sessions/${row.id}`) },
              "End",
            ),
    },
  ];
  const others = sessions.some((each) => !each.is_current);
  return section(
    { class: "sections" },
    div(
      { class: "card-head" },
      h2("Sessions"),
      others &&
        button({ type: "button", class: "small", onclick: () => end("/v1/me/sessions") }, "End all others"),
    ),
    tableOf("Sessions", columns, sessions, "No sessions."),
  );
}

export async function page({ signal }) {
  const { sessions } = await api.get("/v1/me/sessions", {}, signal);
  const me = session();
  return [
    pageHead("Account", { about: me.user.email }),
    div({ class: "columns" }, nameForm(me), passwordForm()),
    sessionsCard(sessions),
  ];
}
