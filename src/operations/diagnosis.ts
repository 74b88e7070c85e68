/** One line of the report of `doctor`. */
export interface Diagnosis {
  name: string;
  /** `note`: could not be checked, which may be intended. */
  state: "ok" | "note" | "problem";
  text: string;
}

export const failed = (name: string, error: unknown): Diagnosis => ({
  name,
  state: "problem",
  text: (error as Error).message,
});
