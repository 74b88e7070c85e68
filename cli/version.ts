import pkg from "../package.json" with { type: "json" };

/** The version of this client; inlined when the client is bundled. */
export const version: string = pkg.version;

/** The commit that it was bundled from, which the build puts here; undefined for the client of a checkout. */
export const commit: string | undefined = undefined;

/** The version with the commit, as people compare it. */
export const buildText = (of: string, from: string | undefined): string =>
  from === undefined ? of : `${of} (commit ${from.slice(0, 12)})`;

/** Its name in npm. */
export const packageName: string = pkg.name;
