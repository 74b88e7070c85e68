/**
 * Provenance of a version: the repository or folder from which it was published. ASCII only, without quotes, spaces and
 * angle brackets, so that it can be shown anywhere.
 *
 * - `git:host/path` or `git:host/path#directory`: a remote without scheme, user and `.git`, and the skill's path in it,
 *   percent-encoded.
 * - `folder:` and 32 hex digits: a folder without a remote, as an HMAC with a key that never leaves the machine.
 */
export const maxProvenanceLength = 500;

export const provenanceForm =
  /^(?:git:[a-z0-9.-]+(?::\d{1,5})?(?:\/[A-Za-z0-9._~%+@-]+)+(?:#[A-Za-z0-9._~%+@-]+(?:\/[A-Za-z0-9._~%+@-]+)*)?|folder:[0-9a-f]{32})$/;

export function isProvenance(text: string): boolean {
  return text.length <= maxProvenanceLength && provenanceForm.test(text);
}

/** Provenance in a sentence. */
export function provenanceText(provenance: string): string {
  if (!provenance.startsWith("git:")) return "another folder, which has no Git remote";
  const [repository, directory] = provenance.slice("git:".length).split("#");
  return directory === undefined ? repository! : `${directory} in ${repository}`;
}

/**
 * Sentence about a version that would follow one of another provenance. Both are as in the payloads, so that client and
 * service say the same.
 */
export function otherProvenanceSentence(skill: string, previous: string): string {
  return (
    `The latest version of ${skill} came from ${provenanceText(previous)}. ` +
    "If this is another skill, publish it under another name (--name)."
  );
}
