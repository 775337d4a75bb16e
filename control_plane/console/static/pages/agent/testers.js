/** People who were invited to talk to the agent, each with own minutes. */

import {
  act, actIfConfirmed, actionColumn, api, badge, dateTime, formDialog, invitedWords, mailField, number, numberField,
  partWith, press, quiet, small, tableOf, textField,
} from "../../kit.js";

const minutesField = (min) =>
  numberField("minutes_limit", "Minutes at your cost", { min, max: 600, step: 1 });

const endField = () =>
  textField("expires_at", "Ends on", { type: "date", mayBeNull: true, hint: "At the beginning of the day, UTC. Empty: never." });

const invite = (path, least) =>
  formDialog("Invite a tester", {
    about: "They get a mail with an address of their own, on which they can talk to the agent.",
    fields: [mailField(), minutesField(least), endField()],
    values: { minutes_limit: 15 },
    send: (given) => api.post(path, given),
    words: "Send the invitation",
    told: ({ tester }) => invitedWords(tester),
  });

const change = (path, { email, minutes_limit, expires_at }, least) =>
  formDialog(`Minutes of ${email}`, {
    fields: [minutesField(least), endField()],
    values: { minutes_limit, expires_at: expires_at?.slice(0, 10) },
    send: (given) => api.patch(path, given),
    told: "Saved",
  });

const revoke = (path, { email }) =>
  actIfConfirmed(
    [`Revoke the invitation of ${email}?`, "Their address stops working at once, and a call that they are in ends.", "Revoke"],
    () => api.delete(path),
    `${email} is no tester any more`,
  );

const minutes = ({ minutes_used: used, minutes_limit: most, minutes_requested_at: asked }) => [
  `${number(used)} of ${number(most)}`,
  asked && quiet("Asks for more"),
];

const columns = (path, least) => [
  ["Mail address", "email", "main long"],
  ["State", ({ status }) => badge(status === "invited" ? "verified" : status)],
  ["Minutes used", minutes],
  ["Ends", "expires_at", "when", dateTime],
  ["Mail", (row) => (row.invite_sent ? dateTime(row.sent_at) : "Not sent")],
  actionColumn((row) => [
    small("Change", () => change(`${path}/${row.id}`, row, least)),
    small("Send again", () => act(() => api.post(`${path}/${row.id}/resend`), ({ tester }) => invitedWords(tester))),
    small("Revoke", () => revoke(`${path}/${row.id}`, row)),
  ]),
];

/** @param shared as `GET /v1/agents/:id/testers` gives it. */
export function testerPart(path, { testers, agent_uses_owner_keys: usesOwnKeys }) {
  const least = usesOwnKeys ? 1 : 0;
  return partWith(
    "Testers",
    press("Invite a tester", () => invite(path, least)),
    tableOf("Testers", columns(path, least), testers, "Nobody is invited yet."),
  );
}
