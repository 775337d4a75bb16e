/** The way to a gateway's own page. No script of a gateway runs in the console. */

import { api, tags } from "../../kit.js";

/** Razorpay's hosted checkout takes a form. */
function post(address, values) {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  const fields = given.map(([name, value]) => tags.input({ type: "hidden", name, value }));
  const form = tags.form({ method: "post", action: address, hidden: true }, fields);
  document.body.append(form);
  form.submit();
}

/**
 * @param given the body for `path`, which answers where and what to pay.
 * @param more what Razorpay is told besides the order.
 */
export async function payAtGateway(path, given, more = {}) {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const { checkout_url: page, razorpay } = await api.post(path, given, { headers });
  if (page) return location.assign(page);
  const { checkout_url: checkout, ...order } = razorpay;
  const back = `${location.origin}/console/payments`;
  return post(checkout, { ...order, ...more, name: "Switchboard", callback_url: `${back}?payment`, cancel_url: `${back}?cancelled` });
}
