// The closed catalog of jobs. A job carries ids, never content: its processor reads the current records, so running
// twice equals running once.

/** Payload of each job. The part of its name before the dot is its queue. */
export interface JobPayloads {
  /** Compares Git, the records and the refs, and repairs the effects of interrupted changes. */
  "maintenance.reconcile": Record<string, never>;
  /** Removes what has expired: sessions, device codes, staged uploads. */
  "maintenance.purge": Record<string, never>;
  /** Counts the installed versions of skills whose installations changed on a day that is over. */
  "maintenance.count-installs": Record<string, never>;
  /** Permanently removes a deleted skill's bytes. */
  "maintenance.erase-skill": { skillId: string; tenantId: string };
  /** Increments the counter that the database and the Git root have. */
  "maintenance.advance-epoch": Record<string, never>;
  /** Tells administrators about conditions of the service that need them. */
  "maintenance.watch-conditions": Record<string, never>;
  /** Seals the credentials of hosted connectors with the current key of `SECRET_KEYS`. */
  "maintenance.rotate-keys": Record<string, never>;
  /** Removes the connectors of a deleted MCP server. */
  "maintenance.forget-server": { serverId: string };
  /** Removes the data of a deleted account, and then its document. */
  "maintenance.erase-account": { userId: string };
  /** Updates the effective access of skills after their folders changed. */
  "folders.update-access": { tenantId: string };
  /** Sends the due mail of an invitation. */
  "mail.invitation": { invitationId: string };
  /** Removes the data of an ended membership. */
  "orgs.member-left": { tenantId: string; userId: string };
  /** Erases an organization whose grace period is over. */
  "orgs.erase": { tenantId: string };
  /** Counts the storage of an organization, and warns its owners. */
  "orgs.count-storage": { tenantId: string };
  /** Sends the entries of an organization's audit log that wait to its receiver. */
  "audit.forward": { tenantId: string };
  /** Queues the job above for each organization with a receiver. */
  "audit.queue": Record<string, never>;
  /** Delivers the due messages of a webhook. */
  "webhooks.deliver": { webhookId: string };
  /** The same for a webhook whose last attempt has failed, and at the time of a next attempt. */
  "webhooks.retry": { webhookId: string };
  /** Queues the job above for each webhook with due messages. */
  "webhooks.queue": Record<string, never>;
  /** Removes the references to a deleted team. */
  "orgs.team-deleted": { tenantId: string; teamId: string };
  /** Sends the pending mails of an account. */
  "mail.account": { userId: string };
  /** Sends the due mails about followed skills. */
  "mail.followed": Record<string, never>;
  /** Schedules the personal workspaces that members of an organization still lack, and provisions them. */
  "workspaces.sync": { tenantId: string };
  /** Removes the workspace of a former member, with its skills. */
  "workspaces.delete": { tenantId: string; userId: string };
  /** Looks up the TXT records of verified domains. */
  "sso.check-domains": Record<string, never>;
  "sso.check-providers": Record<string, never>;
  /** Makes provisioned users members who were invited before their domain was verified. */
  "sso.domain-verified": { tenantId: string };
  /** Scans the versions that are due for hidden and harmful content. */
  "scans.run": Record<string, never>;
  /** Continues the mirror of the registry of MCP servers, and takes new versions over. */
  "catalog.mirror": Record<string, never>;
  /** Syncs an organization's connection with its repository. */
  "sync.run": { connectionId: string };
  /** Checks connected branches for pushes without a webhook call, and queues syncs that have no job. */
  "sync.poll-branches": Record<string, never>;
  /** Joins a skill's small packs. */
  "maintenance.merge-packs": { skillId: string; tenantId: string };
  /** Finds repositories with many packs, and queues their merge or repack. */
  "maintenance.compact-repos": Record<string, never>;
  /** Repacks an idle skill's repository with native git. */
  "maintenance.repack": { skillId: string; tenantId: string };
  /** Compares a part of the repositories with their records. */
  "maintenance.check-repos": Record<string, never>;
}

export type JobName = keyof JobPayloads;
type PrefixOf<N extends string> = N extends `${infer Q}.${string}` ? Q : never;
/** A job is in the queue that its name begins with, unless its policy names another. */
export type QueueName = PrefixOf<JobName> | "branches" | "retries";

/** One processor per job; a job without one does not compile. */
export type Processors = { [K in JobName]: (payload: JobPayloads[K]) => Promise<void> };

/**
 * Number of attempts at a job; the pause before the second one, which doubles with each further one; and the time limit
 * of an attempt. An error whose `retryable` is false fails the job at once, and one with `retryAfterMs` sets the pause.
 */
export interface JobPolicy {
  attempts: number;
  backoffMs: number;
  /** After this time the attempt counts as failed, and another may run concurrently with it. Default: ten minutes. */
  timeoutMs?: number;
  queue?: QueueName;
}

const minuteMs = 60_000;
export const defaultTimeoutMs = 10 * minuteMs;

export const jobPolicies: { readonly [K in JobName]: JobPolicy } = {
  "maintenance.reconcile": { attempts: 3, backoffMs: 10_000, timeoutMs: 120 * minuteMs },
  "maintenance.purge": { attempts: 3, backoffMs: 10_000, timeoutMs: 60 * minuteMs },
  "maintenance.count-installs": { attempts: 3, backoffMs: 10_000, timeoutMs: 60 * minuteMs },
  "maintenance.erase-skill": { attempts: 10, backoffMs: 2000 },
  "maintenance.erase-account": { attempts: 10, backoffMs: 2000 },
  "maintenance.advance-epoch": { attempts: 1, backoffMs: 1000 },
  // Every minute; what one run can't do is due in the next.
  "maintenance.watch-conditions": { attempts: 1, backoffMs: minuteMs },
  "maintenance.rotate-keys": { attempts: 3, backoffMs: 10_000 },
  "maintenance.forget-server": { attempts: 10, backoffMs: 1000 },
  "folders.update-access": { attempts: 10, backoffMs: 1000 },
  "mail.invitation": { attempts: 8, backoffMs: 5000 },
  "orgs.member-left": { attempts: 10, backoffMs: 1000 },
  "orgs.erase": { attempts: 10, backoffMs: 5000, timeoutMs: 60 * minuteMs },
  "orgs.count-storage": { attempts: 5, backoffMs: 5000 },
  "orgs.team-deleted": { attempts: 10, backoffMs: 1000 },
  // Failures of a receiver are recorded at the organization, which has its own time for the next attempt.
  "audit.forward": { attempts: 3, backoffMs: 5000 },
  "audit.queue": { attempts: 1, backoffMs: 5000 },
  // Failures of a receiver are recorded with the message, which has its own time for the next attempt.
  "webhooks.deliver": { attempts: 3, backoffMs: 5000 },
  "webhooks.retry": { attempts: 3, backoffMs: 5000, queue: "retries" },
  "webhooks.queue": { attempts: 1, backoffMs: 5000 },
  // Retries for about eight hours; after that the reconcile job queues pending mails.
  "mail.account": { attempts: 10, backoffMs: 60_000 },
  // Every minute; what one run can't send is due in the next.
  "mail.followed": { attempts: 1, backoffMs: minuteMs, timeoutMs: 30 * minuteMs },
  "workspaces.sync": { attempts: 10, backoffMs: 1000 },
  "workspaces.delete": { attempts: 10, backoffMs: 1000 },
  "sso.check-domains": { attempts: 2, backoffMs: minuteMs, timeoutMs: 60 * minuteMs },
  "sso.check-providers": { attempts: 2, backoffMs: minuteMs, timeoutMs: 60 * minuteMs },
  "sso.domain-verified": { attempts: 10, backoffMs: 1000, timeoutMs: 60 * minuteMs },
  // A scan that fails has its own time for the next attempt.
  "scans.run": { attempts: 3, backoffMs: 5000, timeoutMs: 60 * minuteMs },
  "catalog.mirror": { attempts: 3, backoffMs: 5 * minuteMs, timeoutMs: 55 * minuteMs },
  // Failures of a sync are reported at the connection, which has its own time for the next attempt; these attempts are
  // for
  // other failures. The child process ends after an hour, and the rest of the time is for its cleanup.
  "sync.run": { attempts: 3, backoffMs: 5000, timeoutMs: 65 * minuteMs },
  "sync.poll-branches": { attempts: 1, backoffMs: 5000, timeoutMs: 30 * minuteMs, queue: "branches" },
  "maintenance.merge-packs": { attempts: 3, backoffMs: 5000 },
  "maintenance.compact-repos": { attempts: 3, backoffMs: minuteMs, timeoutMs: 60 * minuteMs },
  "maintenance.repack": { attempts: 2, backoffMs: minuteMs, timeoutMs: 30 * minuteMs },
  "maintenance.check-repos": { attempts: 2, backoffMs: minuteMs, timeoutMs: 60 * minuteMs },
};

/** Jobs of a queue that run at once in one worker process. */
export const queueConcurrency: { readonly [Q in QueueName]: number } = {
  maintenance: 2,
  folders: 2,
  mail: 2,
  orgs: 2,
  // Most of a delivery is waiting for the receiver.
  audit: 32,
  webhooks: 32,
  // Separate from deliveries to receivers that work.
  retries: 16,
  workspaces: 2,
  sso: 2,
  catalog: 1,
  // Each holds the files of a package in memory.
  scans: 1,
  sync: 2,
  // Separate from syncs, which must not wait for the poll of a slow host.
  branches: 2,
};

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobPolicies, name);
}

export function queueOf(name: JobName): QueueName {
  return jobPolicies[name].queue ?? (name.slice(0, name.indexOf(".")) as QueueName);
}

export const queueNames: readonly QueueName[] = [
  ...new Set(Object.keys(jobPolicies).map((name) => queueOf(name as JobName))),
];
