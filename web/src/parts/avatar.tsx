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
  isLarge = false,
}: {
  name: string;
  src?: string | null;
  isOrganization?: boolean;
  isLarge?: boolean;
}) {
  const shape = `avatar${isOrganization ? " square" : ""}${isLarge ? " large" : ""}`;
  const side = isLarge ? 40 : 22;
  if (src) return <img className={shape} src={src} alt="" width={side} height={side} />;
  const sum = Array.from(name).reduce((total, letter) => total + letter.codePointAt(0)!, 0);
  const tone = isOrganization ? "brand" : tones[sum % tones.length];
  return (
    <span className={`${shape} ${tone}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
