const tones = ["tone-1", "tone-2", "tone-3", "tone-4"];

/** One or two initials of a name. */
function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/)
    .filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => (Array.from(word ?? "?")[0] ?? "").toUpperCase()).join("");
}

/** A picture or the initials of a person, team or organization, which the text next to it names. */
export function Initials({
  name,
  src,
  isOrganization = false,
}: {
  name: string;
  src?: string | null;
  isOrganization?: boolean;
}) {
  if (src)
    return (
      <img className={isOrganization ? "avatar square" : "avatar"} src={src} alt="" width={22} height={22} />
    );
  const sum = Array.from(name).reduce((total, letter) => total + letter.codePointAt(0)!, 0);
  const tone = isOrganization ? "square brand" : tones[sum % tones.length];
  return (
    <span className={`avatar ${tone}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
