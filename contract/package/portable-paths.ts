/** Paths that not every system can store. Such packages are accepted, with a warning. Pure. */
import { shownPath, utf8Length } from "../checks/package-rules.ts";

/** Longer paths are over 260 characters in the folders of many projects, which is the limit of Windows. */
export const portablePathLength = 150;

const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9¹²³]|lpt[1-9¹²³])(?:\..*)?$/i;

/** Why Windows can't store a path; undefined if it can. A clause about "it". */
export function windowsFault(path: string): string | undefined {
  for (const name of path.split("/")) {
    const character = /[<>:"|?*\\]/.exec(name)?.[0];
    if (character !== undefined)
      return `it has the character ${character}, which names on Windows can't have`;
    if (/[. ]$/.test(name)) return "it has a name that ends with a dot or a space, which Windows can't store";
    if (devices.test(name.trimEnd())) return `it has the name ${name}, which Windows reserves for a device`;
  }
  return undefined;
}

export type PathAdviceRule = "path_windows" | "path_long";

export interface PathAdvice {
  rule: PathAdviceRule;
  path: string;
  /** A clause about "it". */
  reason: string;
}

export function adviseOnPaths(paths: Iterable<string>): PathAdvice[] {
  return Array.from(paths).flatMap((path): PathAdvice[] => {
    const fault = windowsFault(path);
    const length = utf8Length(path);
    return [
      ...(fault === undefined
        ? []
        : [{ rule: "path_windows" as const, path, reason: `${fault}: rename it` }]),
      ...(length > portablePathLength
        ? [
            {
              rule: "path_long" as const,
              path,
              reason: `its path has ${length} bytes, over the ${portablePathLength} that Windows can store in most folders: shorten it`,
            },
          ]
        : []),
    ];
  });
}

const namedPaths = 5;

/** The sentences about such paths for a publish. */
export function pathWarnings(paths: Iterable<string>): string[] {
  const advice = adviseOnPaths(paths);
  const sentence = (rule: PathAdviceRule, text: string) => {
    const found = advice.filter((one) => one.rule === rule).map(({ path }) => shownPath(path));
    const more = found.length > namedPaths ? `, and ${found.length - namedPaths} more` : "";
    return found.length === 0 ? [] : [`${text}: ${found.slice(0, namedPaths).join(", ")}${more}.`];
  };
  return [
    ...sentence("path_windows", "Windows can't store these names, so the skill can't be installed there"),
    ...sentence(
      "path_long",
      `These paths are over ${portablePathLength} bytes, which is too long in many folders on Windows`,
    ),
  ];
}
