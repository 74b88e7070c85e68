/** The dashboard's fonts for the server-rendered pages. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { frontEndFolder } from "./front-end.ts";

const families = [
  { family: "Geist", file: /^geist-latin-wght-.*\.woff2$/ },
  { family: "JetBrains Mono", file: /^jetbrains-mono-latin-wght-.*\.woff2$/ },
] as const;

/** Paths of the Latin fonts, whose names change with their content; none if the dashboard was not built. */
export function findFonts(): { family: string; path: string }[] {
  let names: string[];
  try {
    names = readdirSync(path.join(frontEndFolder, "assets", "app"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return families.flatMap(({ family, file }) => {
    const name = names.find((one) => file.test(one));
    return name === undefined ? [] : [{ family, path: `/assets/app/${name}` }];
  });
}
