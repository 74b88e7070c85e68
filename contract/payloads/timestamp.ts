/** Points in time of the API. */
import { z } from "zod";

/** The `description` of each in schemas. */
export const timestampDescription = "ISO-8601, UTC";

export const timestamp = z.iso.datetime().meta({ description: timestampDescription });
