import { z } from "zod";
import {
  maxContentLocationLength,
  contentLocationForm,
} from "../../../../contract/package/content-location.ts";

export const contentLocation = z
  .string()
  .max(maxContentLocationLength)
  .regex(contentLocationForm, "must be git:host/path#directory or folder: and 32 hexadecimal digits")
  .optional()
  .meta({
    description:
      "where the content comes from: a Git remote and the path in it, or a digest of a folder; " +
      "shown to members of the organization only",
  });
