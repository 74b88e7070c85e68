/** The document of `svc upgrade`, as part of `cliPayloads`. */
import { z } from "zod";
import { semver, text } from "./fields.ts";

/** Installation method of this client. Only `npm` can be upgraded: npm's global prefix, or the one of the installer. */
export const installationKinds = ["npm", "npx", "checkout", "other"] as const;

export const cliUpgradePayloads = {
  /** Ours. */
  upgrade: z.strictObject({
    /** `available`: with `--check`, a newer version; `ahead`: this client is newer, and nothing was installed. */
    outcome: z.enum(["upToDate", "available", "ahead", "upgraded", "downgraded"]),
    fromVersion: semver,
    /** Version of the service's client. */
    toVersion: semver,
    service: z.url(),
    installation: z.enum(installationKinds),
    /** npm's prefix. */
    path: text.optional(),
  }),
} as const;
