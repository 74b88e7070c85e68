import { z } from "zod";
import { listQuery } from "../http/request/cursor.ts";

/**
 * Parameters of a standard request: unknown ones are ignored (RFC 6749, section 3.2), ill-typed ones count as absent.
 */
const parameter = z.string().max(2000).optional().catch(undefined);

export const TokenRequest = z.looseObject({
  grant_type: parameter,
  client_id: parameter,
  code: parameter,
  redirect_uri: parameter,
  code_verifier: parameter,
  refresh_token: parameter,
  device_code: parameter,
  resource: z.array(z.string().max(2000)).max(10).optional().catch(undefined),
  scope: parameter,
});
export type TokenRequest = z.output<typeof TokenRequest>;

export const RevocationRequest = z.looseObject({ token: parameter, client_id: parameter });
export type RevocationRequest = z.output<typeof RevocationRequest>;

export const GrantsQuery = z.object(listQuery);
export const GrantParams = z.object({ id: z.string().min(1).max(64) });
