/** The location of an item on a target: its usual one, the folder that several tools share, or a further one. */
import type { Target } from "../../contract/vocabulary.ts";
import { findTarget, targetDefinitions } from "./index.ts";
import { copied, packageIn, skillFolderIn } from "./placements.ts";
import {
  type AlsoLocation,
  type InstallItem,
  type InstallLocation,
  type Placement,
  type Refusal,
  baseFolder,
} from "./target.ts";

export interface LocationChoice {
  platform: Target;
  /** In the shared folder, if the target reads it and the item is a skill. */
  isShared: boolean;
  /** The name of a further location. */
  also?: string;
}

/** The names of `--also`, with their targets. */
export const alsoLocations: ReadonlyMap<string, AlsoLocation & { platform: Target }> = new Map(
  targetDefinitions.flatMap(({ name: platform, also = {} }) =>
    Object.entries(also).map(([name, location]) => [name, { ...location, platform }] as const),
  ),
);

export function locate(
  item: InstallItem,
  location: InstallLocation,
  choice: LocationChoice,
): Placement | Refusal {
  const { platform, also } = choice;
  const definition = findTarget(platform);
  const further = also === undefined ? undefined : definition?.also?.[also];
  if (definition === undefined || (also !== undefined && further === undefined))
    return { refused: `this version of svc does not know ${also ?? platform}` };
  if (further !== undefined) return further.placementOf(item, location);
  if (!isInSharedFolder(choice, item)) return definition.placementOf(item, location);
  const folder = location.paths.join(baseFolder(location, location.home), ".agents", "skills");
  // One copy, since not all of its readers follow links.
  return item.format === "package"
    ? packageIn(location, folder, item, copied)
    : skillFolderIn(location, folder, item, copied);
}

/** Whether the choice puts an item into the shared folder: a rule is not loaded from there. */
export function isInSharedFolder(
  { platform, isShared, also }: LocationChoice,
  { type, format }: Pick<InstallItem, "type" | "format">,
): boolean {
  return (
    isShared &&
    also === undefined &&
    findTarget(platform)?.readsShared === true &&
    (format === "package" || type === "skill")
  );
}
