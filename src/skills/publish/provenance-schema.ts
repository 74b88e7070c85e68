import { z } from "zod";
import { maxProvenanceLength, provenanceForm } from "../../../contract/package/provenance.ts";

export const provenance = z
  .string()
  .max(maxProvenanceLength)
  .regex(provenanceForm, "must be git:host/path#directory or folder: and 32 hexadecimal digits")
  .optional()
  .meta({
    description:
      "where the content comes from: a Git remote and the path in it, or a digest of a folder; " +
      "shown to members of the organization only",
  });
