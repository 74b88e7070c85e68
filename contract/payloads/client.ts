/** The client, as the service offers it. */
import { z } from "zod";

/** Response to the daily update check of the client. */
export const ClientPayload = z.object({ version: z.string() }).meta({ id: "Client" });
export type ClientPayload = z.infer<typeof ClientPayload>;
