/** Starts the console: who is logged in, then the page of the address. */

import { preload, startRouter } from "./core/router.js";
import { loadSession } from "./core/session.js";
import { ROUTES } from "./pages/routes.js";

await Promise.all([loadSession(), preload(ROUTES)]);
startRouter();
