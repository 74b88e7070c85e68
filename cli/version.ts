import pkg from "../package.json" with { type: "json" };

/** The version of this client; inlined when the client is bundled. */
export const version: string = pkg.version;

/** Its name in npm. */
export const packageName: string = pkg.name;
