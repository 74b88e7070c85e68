export interface PasswordStrength {
  text: string;
  tone: "good" | "bad" | "";
}

/**
 * A rough rating of a new password while it is typed; undefined for an empty one.
 *
 * Pages without the dashboard contain the source of this function: it uses nothing outside itself, and names no inner
 * function.
 *
 * @param own names of the person, which the password should not contain
 */
export function passwordStrength(
  value: string,
  minLength: number,
  own: readonly string[],
): PasswordStrength | undefined {
  if (value === "") return undefined;
  const lower = value.toLowerCase();
  if (value.length < minLength) return { text: `too short, ${minLength - value.length} more`, tone: "bad" };
  for (const name of own) {
    const word = (name.split("@")[0] ?? "").toLowerCase();
    if (word.length > 2 && lower.includes(word)) return { text: "weak, it contains your name", tone: "bad" };
  }
  const distinct = new Set(lower).size;
  if (distinct < 6) return { text: "weak, few different characters", tone: "bad" };
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/].filter((kind) => kind.test(value)).length;
  const points = value.length + 2 * kinds + distinct / 2;
  if (points < 24) return { text: "fair", tone: "" };
  return { text: points < 32 ? "good" : "strong", tone: "good" };
}
