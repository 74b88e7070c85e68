/** The reader of zips in the browser, as it is bundled for it. */
import type { LeftOut } from "../../contract/package/left-out.ts";
import { bundleModule } from "../support/web/bundle-module.ts";

export interface Reader {
  readZip(zip: Blob): Promise<{ files: { path: string; mode: string }[]; leftOut: LeftOut[] }>;
}

export const bundleReader = () => bundleModule<Reader>("web/src/parts/zip/read-zip.ts");
