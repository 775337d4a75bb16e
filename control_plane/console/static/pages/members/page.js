/** Who belongs to the tenant, and who is invited. */

import {
  act, actIfConfirmed, actionColumn, adding, ago, api, badge, choiceField, dateTime, formDialog, invitedWords,
  loadSession, mailField, mayAdminister, pageHead, quiet, savingChoice, sentence, session, small, tableOf, tablePart,
} from "../../kit.js";

const MOST = 200;

/** Only an owner makes owners. */
const roles = () => (session().role === "owner" ? ["member", "admin", "owner"] : ["member", "admin"]);

const invite = () =>
  formDialog("Invite somebody", {
    fields: [
      mailField(),
      choiceField("role", "Role", roles(), {
        hint: "Admins also manage members and keys.",
      }),
    ],
    send: (given) => api.post("/v1/invitations", given),
    words: "Send the invitation",
    told: invitedWords,
  });

const isSelf = ({ user_id: id }) => id === session().user?.id;
const mayChange = (member) => mayAdminister() && !isSelf(member) && (member.role !== "owner" || session().role === "owner");

function roleCell(member) {
  if (!mayChange(member)) return sentence(member.role);
  const change = (role) => act(() => api.patch(`/v1/members/${member.user_id}`, { role }), `${member.email} is ${role} now`);
  return savingChoice(`Role of ${member.email}`, member.role, roles(), change);
}

const remove = ({ user_id: id, email }) =>
  actIfConfirmed(
    ["Remove this member?", `${email} loses access to this tenant at once.`, "Remove"],
    () => api.delete(`/v1/members/${id}`),
    `${email} is removed`,
  );

const leave = () =>
  actIfConfirmed([`Leave ${session().tenant.name}?`, "You lose access to its agents and calls at once.", "Leave"], async () => {
    await api.delete("/v1/members/me");
    await loadSession();
  });

const MEMBER_COLUMNS = [
  ["Member", (row) => (row.name ? [row.name, quiet(row.email)] : row.email), "main long"],
  ["Role", roleCell],
  ["Since", "joined_at", "when", dateTime],
  actionColumn((row) => (isSelf(row) ? small("Leave", leave) : mayChange(row) && small("Remove", () => remove(row)))),
];

const INVITATION_COLUMNS = [
  ["Mail address", "email", "main long"],
  ["Role", (row) => sentence(row.role)],
  ["State", (row) => badge(row.status)],
  ["Sent", "sent_at", "when", ago],
  actionColumn(({ id, status }) => {
    const path = `/v1/invitations/${id}`;
    return (
      ["pending", "expired"].includes(status) && [
        small("Send again", () => act(() => api.post(`${path}/resend`), "Sent again")),
        small("Withdraw", () => act(() => api.delete(path), "The invitation is withdrawn")),
      ]
    );
  }),
];

export async function page({ get }) {
  const isAdministrator = mayAdminister();
  const [{ members }, { invitations }] = await Promise.all([
    get("/v1/members", { limit: MOST }),
    isAdministrator ? get("/v1/invitations", { limit: MOST }) : { invitations: [] },
  ]);
  return [
    pageHead("Members", {
      about: session().tenant.name,
      actions: isAdministrator && adding("Invite", invite),
    }),
    tableOf("Members", MEMBER_COLUMNS, members, "No members."),
    invitations.length > 0 && tablePart("Invitations", INVITATION_COLUMNS, invitations, ""),
  ];
}
