/**
 * Content location of a version: the repository or folder from which it was published. ASCII only, without quotes,
 * spaces and angle brackets, so that it can be shown anywhere.
 *
 * - `git:host/path` or `git:host/path#directory`: a remote without scheme, user and `.git`, and the skill's path in it,
 *   percent-encoded.
 * - `folder:` and 32 hex digits: a folder without a remote, as an HMAC with a key that never leaves the machine.
 */
export const maxContentLocationLength = 500;

export const contentLocationForm =
  /^(?:git:[a-z0-9.-]+(?::\d{1,5})?(?:\/[A-Za-z0-9._~%+@-]+)+(?:#[A-Za-z0-9._~%+@-]+(?:\/[A-Za-z0-9._~%+@-]+)*)?|folder:[0-9a-f]{32})$/;

export function isContentLocation(text: string): boolean {
  return text.length <= maxContentLocationLength && contentLocationForm.test(text);
}

/** Content location in a sentence. */
export function contentLocationText(contentLocation: string): string {
  if (!contentLocation.startsWith("git:")) return "another folder, which has no Git remote";
  const [repository, directory] = contentLocation.slice("git:".length).split("#");
  return directory === undefined ? repository! : `${directory} in ${repository}`;
}

/**
 * Sentence about a version that would follow one with another content location. Both are as in the payloads, so that
 * client and service have the same sentence.
 */
export function otherLocationSentence(skill: string, previous: string): string {
  return (
    `The latest version of ${skill} came from ${contentLocationText(previous)}. ` +
    "If this is another skill, publish it under another name (--name)."
  );
}
