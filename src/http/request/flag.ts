import { z } from "zod";

/** A query parameter that is `true` or `false`; words such as `1` and `no` are accepted, too. */
export const flag = z.stringbool().meta({ override: { type: "boolean" } });
