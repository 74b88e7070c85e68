import { z } from "zod";

const isReceiver = (text: string) => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(text);
  if (username !== "" || password !== "" || hostname === "" || hash !== "") return false;
  return /^https?:$/.test(protocol) || (protocol === "syslog+tls:" && /^\/?$/.test(pathname + search));
};

export const AuditForwarding = z.strictObject({
  url: z
    .string()
    .max(2000)
    .refine(isReceiver, "must be https://… or syslog+tls://host:port, without credentials")
    .meta({ description: "`https://…`, or `syslog+tls://host:port` (port 6514 by default)" }),
  newSecret: z.boolean().default(false).meta({ description: "replaces the secret of an https receiver" }),
});
export type AuditForwarding = z.output<typeof AuditForwarding>;
