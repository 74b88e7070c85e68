/** Addresses of this service for identity providers and browsers. */
import type { App } from "../app.ts";

const at = (app: App, providerId: string, end: string) => `${app.config.baseUrl}/sso/${providerId}/${end}`;

/** Our metadata, which is our entity id as well: each provider has its own. */
export const metadataUrl = (app: App, providerId: string) => at(app, providerId, "metadata");
export const acsUrl = (app: App, providerId: string) => at(app, providerId, "acs");
export const callbackUrl = (app: App, providerId: string) => at(app, providerId, "callback");
export const startUrl = (app: App, providerId: string) => at(app, providerId, "start");
