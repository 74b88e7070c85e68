/** Judgement of the hits of a query. */

export interface Query {
  /** `tune`: for choosing weights; `test`: for the figures alone. */
  set: string;
  kind: string;
  text: string;
  /** Skills that answer it, by their slugs: 3 exactly, 2 well, 1 better than nothing. */
  grades: ReadonlyMap<string, number>;
}

export interface Judged {
  query: Query;
  found: readonly string[];
  /** Whether any skill answers the query. */
  answer: boolean;
  /** A skill of the highest grade is among the first three. */
  isFound: boolean;
  /** nDCG at 10, with gains of 2 to the power of the grade, less one (K. Järvelin, J. Kekäläinen, 2002). */
  gain: number;
  isConfident: boolean;
}

export function judge(query: Query, found: readonly string[], confidence: string): Judged {
  const grades = [...query.grades.values()].sort((a, b) => b - a);
  const gradeOf = (slug: string) => query.grades.get(slug) ?? 0;
  const ideal = discounted(grades);
  return {
    query,
    found,
    answer: grades.length > 0,
    isFound: grades.length > 0 && found.slice(0, 3).some((slug) => gradeOf(slug) === grades[0]),
    gain: ideal === 0 ? 0 : discounted(found.map(gradeOf)) / ideal,
    isConfident: confidence === "high",
  };
}

const discounted = (grades: readonly number[]) =>
  grades.slice(0, 10).reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
