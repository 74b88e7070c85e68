/** Changes of skills that followers, authors and users of them are shown. */

/** Kinds of changes. A kind needs an entry in `sentences` below, and a source in `src/skills/following/`. */
export const followedKinds = [
  "created",
  "version",
  "reverted",
  "deprecated",
  "yanked",
  "discontinued",
  "withdrawn",
  "finding",
  "flagged",
  "review",
  "reported",
  "conflict",
  "reminder",
] as const;
export type FollowedKind = (typeof followedKinds)[number];

/**
 * Why a person is shown a change, the strongest reason first. Mails are about followed skills, about those of the
 * person's teams, reminders, and, for reviewers who ask for them, about versions that wait for a review.
 */
export const followReasons = ["followed", "team", "reviewer", "own", "installed"] as const;
export type FollowReason = (typeof followReasons)[number];

export const followTargets = ["skill", "folder"] as const;
export type FollowTarget = (typeof followTargets)[number];

/** When a person gets mails about what they follow. */
export const followMails = ["daily", "instant", "off"] as const;
export type FollowMail = (typeof followMails)[number];

interface Facts {
  semver: string;
  /** New findings of the version. */
  findings?: number;
}

const sentences: Record<FollowedKind, (facts: Facts) => string> = {
  created: ({ semver }) => `was added with version ${semver}`,
  version: ({ semver }) => `has the new version ${semver}`,
  reverted: ({ semver }) => `was reverted to ${semver}`,
  deprecated: ({ semver }) => `deprecates version ${semver}`,
  yanked: ({ semver }) => `no longer offers version ${semver}`,
  discontinued: () => "is deprecated",
  withdrawn: ({ semver }) => `had to withdraw version ${semver}: remove it where it is installed`,
  finding: ({ semver, findings = 1 }) =>
    `has ${findings === 1 ? "a new finding" : `${findings} new findings`} in version ${semver}`,
  flagged: ({ semver }) => `has the version ${semver}, which its scan flagged`,
  review: ({ semver }) => `has the version ${semver}, which waits for a review`,
  reported: ({ semver }) => `was reported to the administrators of the service at version ${semver}`,
  reminder: ({ semver }) => `needs an update to ${semver}`,
  conflict: ({ semver }) => `had changed on both sides of the sync: ${semver} has the repository's content`,
};

/** Description of a change of a skill, as the rest of a sentence that begins with its name. */
export const followedSentence = (kind: FollowedKind, facts: Facts): string => sentences[kind](facts);
