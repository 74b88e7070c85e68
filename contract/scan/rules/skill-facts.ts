/** The skill as its frontmatter describes it, compared with its files and with the names of others. */
import type { SkillRule } from "../scan-rule.ts";
import { latinOf } from "../views.ts";

/** Names of skills that many people know, of which others are imitations. */
const knownNames = [
  "skill-creator",
  "mcp-builder",
  "webapp-testing",
  "frontend-design",
  "algorithmic-art",
  "brand-guidelines",
  "canvas-design",
  "doc-coauthoring",
  "internal-comms",
  "slack-gif-creator",
  "theme-factory",
  "web-artifacts-builder",
  "skill-installer",
  "find-skills",
  "agent-browser",
  "systematic-debugging",
  "test-driven-development",
  "vercel-react-best-practices",
  "web-design-guidelines",
  "supabase-postgres-best-practices",
];
const official =
  /\b(?:the\s+)?official\s+(?:[\w-]+\s+){0,2}(?:skill|plugin|extension|tool)\s+(?:of|by|from)\s+\w|\b(?:anthropic|openai|github|microsoft|google|vercel|cursor)['’]?s?\s+official\b|\bofficial\s+(?:anthropic|openai|github|microsoft|google|vercel|cursor|claude)\b|\b(?:verified|certified|endorsed|approved|maintained)\s+by\s+(?:anthropic|openai|github|microsoft|google)\b/i;

const allows = (tools: readonly string[], name: RegExp) =>
  tools.some((tool) => tool === "*" || name.test(tool));

/** Whether one insertion, removal, replacement or exchange of neighbours leads from one name to the other. */
function isOneStepAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (
    a.slice(at + 1) === b.slice(at + 1) ||
    a.slice(at + 1) === b.slice(at) ||
    a.slice(at) === b.slice(at + 1)
  )
    return true;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Digits that are written for letters. */
const lettersOfDigits = (name: string) => name.replaceAll("0", "o").replaceAll("1", "l").replaceAll("3", "e");

export const skillRules: readonly SkillRule[] = [
  {
    id: "metadata.look-alike-letters",
    severity: "malicious",
    sentence: "Has a name with letters of another alphabet that look like Latin ones.",
    matchSkill: ({ name = "" }) =>
      latinOf(name) !== name && /[a-z]/i.test(name) && !/[\u0400-\u04ff]{3}/.test(name) ? "name" : undefined,
  },
  {
    id: "metadata.similar-name",
    severity: "note",
    sentence: "Has a name that differs by one letter from that of a widely known skill.",
    matchSkill: ({ name = "" }) => {
      const plain = latinOf(name)
        .toLowerCase()
        .replace(/[\s_]+/g, "-");
      const isSimilar = knownNames.some(
        (known) => isOneStepAway(plain, known) || (plain !== known && lettersOfDigits(plain) === known),
      );
      return isSimilar ? "name" : undefined;
    },
  },
  {
    id: "metadata.claims-official",
    severity: "note",
    sentence: "Describes itself as official or verified, which the registry does not confirm.",
    matchSkill: ({ description = "" }) => (official.test(description) ? "description" : undefined),
  },
  {
    id: "metadata.imitation",
    severity: "suspicious",
    sentence: "Has nearly the name of a widely known skill, and describes itself as official.",
    matchSkill: (facts) =>
      skillRules[1]!.matchSkill(facts) && skillRules[2]!.matchSkill(facts) ? "name" : undefined,
  },
  {
    id: "capabilities.undeclared-programs",
    severity: "note",
    sentence: "Has programs, but its allowed-tools do not include running them.",
    matchSkill: ({ allowedTools, files }) =>
      allowedTools &&
      files.some(({ isProgram }) => isProgram) &&
      !allows(allowedTools, /^(?:Bash|shell|PowerShell|execute|terminal|run)/i)
        ? "allowed-tools"
        : undefined,
  },
  {
    id: "capabilities.undeclared-network",
    severity: "note",
    sentence:
      "Has programs that call the network, but its allowed-tools include neither that nor running them.",
    matchSkill: ({ allowedTools, callsNetwork }) =>
      allowedTools &&
      callsNetwork &&
      !allows(allowedTools, /^(?:Bash|shell|PowerShell|execute|terminal|run|Web|fetch|mcp__|curl)/i)
        ? "allowed-tools"
        : undefined,
  },
  {
    id: "capabilities.unrestricted",
    severity: "note",
    sentence: "Asks for all tools, or for every command of a shell, without confirmation.",
    matchSkill: ({ allowedTools }) =>
      allowedTools?.some((tool) => /^(?:\*|(?:Bash|shell)\(\s*(?:\*|\*:\*)?\s*\))$/i.test(tool))
        ? "allowed-tools"
        : undefined,
  },
];
