/** Badge of a skill for readmes: its name and current version as a small SVG. */
import { showHidden } from "../../http/pages/show-hidden.ts";

interface BadgeText {
  /** One line. */
  label: string;
  /** Undefined: the badge says that there is no such skill. */
  semver: string | undefined;
}

const petrol = "#00648f";
const gray = "#676562";

/** Characters of one line that XML can't have, even escaped. */
const notInXml = /[\ufffe\uffff]/g;

/** The SVG, which has the measured width of its text. The library is loaded with the first badge. */
export async function drawBadge({ label, semver }: BadgeText): Promise<string> {
  const { makeBadge } = await import("badge-maker");
  return makeBadge({
    label: showHidden(label).replace(notInXml, ""),
    labelColor: "#494744",
    message: semver === undefined ? "not found" : `v${semver}`,
    color: semver === undefined ? gray : petrol,
    style: "flat",
  });
}
