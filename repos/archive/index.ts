/** Packages as zips: reading one that a stranger made, writing one that is the same every time. */
export { openZipPackage, readZip, type ZipPackage, type ZipRules, type ZipSelection } from "./read-zip.ts";
export { writeZip, type ZipForm, type ZipMember } from "./write-zip.ts";
