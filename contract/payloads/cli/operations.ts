/** The documents of commands that operate a sync, read the audit log and check the set-up of this machine. */
import { z } from "zod";
import { hostKinds, proposalStates, syncModes, syncOutcomes, syncStatuses } from "../../vocabulary.ts";
import { count, integer, text, timestamp } from "./fields.ts";

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

const counts = {
  /** New versions of known skills, and new skills. */
  imported: count,
  created: count,
  conflicts: count,
  /** Directories that were written and removed. */
  exported: count,
  removed: count,
  /** Directories and skills that could not be synced. */
  refused: count,
};

const note = z.strictObject({ path: text, code: text, message: text });
const directory = z.strictObject({ path: text, skill: text });

const auditEntry = z.strictObject({
  id: text,
  action: text,
  actor: z.strictObject({
    type: z.enum(["user", "organization", "anonymous", "system"]),
    id: text.optional(),
    name: text,
  }),
  resourceType: text,
  resourceId: text,
  metadata: z.record(z.string(), z.unknown()),
  /** HMAC of the caller's address. */
  ip: text.optional(),
  createdAt: timestamp,
});

/** By command, as part of `cliPayloads`; all are ours. */
export const cliOperationPayloads = {
  "auth.header": z.strictObject({ Authorization: text }),
  /** Empty for another host than that of the login. */
  "auth.git": z.strictObject({ username: text.optional(), password: text.optional() }),
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
  /** Lists have up to 500 entries; the counts are exact. */
  "sync.plan": z.strictObject({
    organization,
    /** False for the plan of a new connection. */
    connected: z.boolean(),
    repository: text,
    branch: text,
    branchState: z.enum(["present", "missing", "empty"]),
    /** That the repository will have. */
    skills: count,
    write: z.array(directory),
    writes: count,
    remove: z.array(text),
    removes: count,
    create: z.array(z.strictObject({ path: text })),
    creates: count,
    update: z.array(directory.extend({ conflict: z.boolean() })),
    updates: count,
    problems: z.array(note),
    elsewhere: z.array(z.strictObject({ path: text })),
    elsewheres: count,
    leftOut: z.array(z.strictObject({ path: text })),
    leftOuts: count,
  }),
  "sync.connect": z.strictObject({ organization, connection }),
  /** `summary` is the sum of the runs since the request. */
  "sync.run": z.strictObject({
    organization,
    connection,
    /** `requested` with `--no-wait`; `waiting` if it had not ended within `--timeout`. */
    outcome: z.enum(["requested", "done", "blocked", "failed", "waiting"]),
    runs: z.array(
      z.strictObject({
        id: text,
        full: z.boolean(),
        outcome: z.enum(syncOutcomes),
        startedAt: timestamp,
        endedAt: timestamp.optional(),
        commit: text.optional(),
        ...counts,
        refusals: z.array(note),
        problem: z.strictObject(problem).optional(),
      }),
    ),
    summary: z.strictObject(counts),
    conflicts: z.array(conflict),
    proposal: proposal.optional(),
  }),
  /** Newest first. `more`: there are older ones beyond `--limit`. */
  "sync.conflicts": z.strictObject({ organization, conflicts: z.array(conflict), more: z.boolean() }),
  /** Newest first. `organization` is absent for the caller's own log. */
  audit: z.strictObject({
    organization: organization.optional(),
    entries: z.array(auditEntry),
    more: z.boolean(),
  }),
  /** A line of `--follow`. */
  auditFollow: auditEntry,
  doctor: z.strictObject({
    checks: z.array(
      z.strictObject({
        name: text,
        status: z.enum(["ok", "warning", "failed"]),
        message: text,
        /** Remedy in one line; always present with `warning` and `failed`. */
        remedy: text.optional(),
      }),
    ),
    summary: z.strictObject({ ok: count, warnings: count, failed: count }),
  }),
} as const;
