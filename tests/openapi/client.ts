// A small client of the API. It is never run: that it type-checks against types generated from the
// OpenAPI document, and that its mistakes do not, is the test.

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const api = createClient<paths>({
  baseUrl: "http://127.0.0.1:8080",
  headers: { Authorization: "Bearer sb_secret_…" },
});

export async function startCall(agentId: string): Promise<string> {
  const { data, error } = await api.POST("/v1/calls", {
    params: { header: { "Idempotency-Key": "order-4711" } },
    body: {
      agent_id: agentId,
      participants: [{ transport: "webrtc", identity: "ada" }],
      variables: { name: "Ada" },
    },
  });
  if (error !== undefined) {
    throw new Error(`${error.code}: ${error.detail}`);
  }
  return data.id;
}

export async function* everyCall(
  status: "completed" | "failed",
): AsyncGenerator<components["schemas"]["CallView"]> {
  let cursor: string | undefined;
  do {
    const { data } = await api.GET("/v1/calls", { params: { query: { status, cursor } } });
    if (data === undefined) return;
    yield* data.calls;
    cursor = data.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

export async function costOf(callId: string): Promise<number | null> {
  const { data } = await api.GET("/v1/calls/{call_id}", {
    params: { path: { call_id: callId } },
  });
  return data?.total_cost ?? null;
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error: there is no such path
  await api.GET("/v1/cals");
  // @ts-expect-error: a call needs participants
  await api.POST("/v1/calls", { body: { agent_id: "…" } });
  // @ts-expect-error: there is no such transport
  await api.POST("/v1/calls", { body: { participants: [{ transport: "fax", identity: "ada" }] } });
  // @ts-expect-error: there is no such status
  await api.GET("/v1/calls", { params: { query: { status: "done" } } });
}
