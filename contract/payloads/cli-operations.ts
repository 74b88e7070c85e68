/** The documents of commands that operate a sync, read the audit log and check the set-up of this machine. */
import { z } from "zod";
import { hostKinds, proposalStates, syncModes, syncStatuses } from "../vocabulary.ts";
import { count, integer, text, timestamp } from "./cli-fields.ts";

const organization = z.strictObject({ id: text, slug: text, name: text });

const problem = { code: text, message: text, at: timestamp.optional() };

const connection = z.strictObject({
  id: text,
  host: z.enum(hostKinds),
  repository: text,
  url: text,
  branch: text,
  mode: z.enum(syncModes),
  status: z.enum(syncStatuses),
  problem: z.strictObject(problem).optional(),
  connectedBy: z.strictObject({ name: text, username: text }),
  /** The host reports pushes; otherwise they are found by polling. */
  notified: z.boolean(),
  /** A requested sync has not ended yet. */
  pending: z.boolean(),
  pendingSince: timestamp.optional(),
  retryAt: timestamp.optional(),
  lastCommit: text.optional(),
  lastSyncAt: timestamp.optional(),
  createdAt: timestamp,
});

const proposal = z.strictObject({
  branch: text,
  state: z.enum(proposalStates),
  message: text,
  number: integer.optional(),
  url: text.optional(),
  skills: count,
});

const conflict = z.strictObject({
  id: text,
  skillId: text,
  /** Absent once the skill was deleted. */
  slug: text.optional(),
  path: text,
  /** The version that the repository's content became, and the version that was current before. */
  winning: integer,
  losing: integer,
  commit: text,
  author: text.optional(),
  at: timestamp,
  /** Empty once the skill was deleted. */
  remedies: z.array(z.strictObject({ action: text, command: text })),
});

/** By command, as part of `cliPayloads`; all are ours. */
export const cliOperationPayloads = {
  "sync.status": z.strictObject({
    organization,
    connected: z.boolean(),
    connection: connection.optional(),
    /** With mode pull_request, after the first sync. */
    proposal: proposal.optional(),
    syncedSkills: count,
    skillProblems: z.array(z.strictObject({ path: text, skillId: text.optional(), ...problem })),
    /** Hosts that the service can connect to. */
    hosts: z.array(z.enum(hostKinds)),
  }),
  /** Newest first. `more`: there are older ones beyond `--limit`. */
  "sync.conflicts": z.strictObject({ organization, conflicts: z.array(conflict), more: z.boolean() }),
} as const;
