/** Parts of the checkout that a release contains: those that a service needs at run time, and all documents. */
export const releaseParts = [
  "bin",
  "deploy",
  "docs",
  "integrations",
  "samples",
  "scripts",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
];
