// The licences of what is bundled, which ask to go along with every copy.
import fs from "node:fs";
import path from "node:path";

/**
 * @param {string[]} modules the files of a bundle
 * @returns {string} name, version, licence and its text, package by package
 */
export function noticesOf(modules) {
  const folders = new Set(
    modules.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  );
  const notices = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? fs.readFileSync(path.join(folder, file), "utf8").trim() : `Licence: ${license}`;
    return { name, text: `${name} ${version} (${license})\n\n${text}\n` };
  });
  notices.sort((a, b) => (a.name < b.name ? -1 : 1));
  return notices.map(({ text }) => text).join(`\n${"-".repeat(80)}\n\n`);
}
