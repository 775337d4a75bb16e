/** The person: name, password, and where they are logged in. */

import {
  act, ago, api, badge, card, dateTime, div, enter, formOf, newPasswordField, pageHead, partWith, saving,
  secretField, session, small, tableOf, textField,
} from "../../kit.js";

function nameForm({ user }) {
  const name = textField("name", "Your name", { mayBeNull: true, autocomplete: "name" });
  const save = saving(async (given) => enter(await api.patch("/v1/me", given)), "Saved");
  return card("You", formOf([name], save, { words: "Save the name", values: user }));
}

function passwordForm() {
  const fields = [
    secretField("current_password", "Password now", { autocomplete: "current-password" }),
    newPasswordField("new_password", "New password", "10 characters or more. Your other sessions end."),
  ];
  const save = saving((given) => api.put("/v1/me/password", given), "Your new password is set");
  return card("Password", formOf(fields, save, { words: "Set the password" }));
}

const end = (path) => act(() => api.delete(path));

const COLUMNS = [
  ["Browser", (row) => row.user_agent ?? "Unknown", "main long"],
  ["Address", "address"],
  ["Last used", "last_used_at", "when", ago],
  ["Ends", "expires_at", "when", dateTime],
  ["", (row) => (row.is_current ? badge("verified", "This one") : small("End", () => end(`/v1/me/sessions/${row.id}`))), "actions"],
];

export async function page({ get }) {
  const { sessions } = await get("/v1/me/sessions");
  const others = sessions.some((each) => !each.is_current);
  const me = session();
  return [
    pageHead("Account", { about: me.user.email }),
    div({ class: "columns" }, nameForm(me), passwordForm()),
    partWith(
      "Sessions",
      others && small("End all others", () => end("/v1/me/sessions")),
      tableOf("Sessions", COLUMNS, sessions, "No sessions."),
    ),
  ];
}
