/** Files that hide what they are: programs, archives that can't be examined, names of other formats. */
import { endingOf, isDocumentZip, promisedKind } from "../file-kind.ts";
import { hostKindIn } from "../hosts.ts";
import { near, one, signal } from "../matchers.ts";
import type { FileRule, ScannedFile, TextRule } from "../scan-rule.ts";

const archiveLink = signal(
  [".zip", ".rar", ".7z", ".tar", ".dmg", ".pkg", ".exe", ".msi", ".iso"],
  /https?:\/\/[^\s"'`<>)]{3,300}\.(?:zip|rar|7z|tgz|tar(?:\.\w{2,3})?|dmg|pkg|exe|msi|iso)\b/gi,
);
const password = signal(
  ["pass", "-p"],
  /\b(?:unzip|7z{1,2}a?|unrar|7za)\s{1,4}(?:[xe]\s{1,4})?(?:-\w\s{1,4}){0,2}-[pP]\s{0,2}["']?[^\s-][^\s]{0,60}/gi,
  /\b(?:archive\s{1,3}|zip\s{1,3}|extraction\s{1,3}|the\s{1,3})?(?:password|passphrase|passcode|pass)\s{0,3}(?:is|:|=)\s{0,3}[`"'*]{0,3}[\w!@#$%-]{3,40}/gi,
);

const pointer = "version https://git-lfs.github.com/spec/";
const startsWith = ({ data }: ScannedFile, text: string) =>
  new TextDecoder("latin1").decode(data.subarray(0, text.length)) === text;
const isArchive = ({ kind }: ScannedFile) => ["zip", "gzip", "tar", "opaque-archive"].includes(kind);
/** The beginning of a program, after a byte order mark or white space at most. */
const looksLikeCode = ({ data }: ScannedFile) =>
  /^\s{0,40}(?:#!|<\?php|import\s+\w+|from\s+\w+\s+import|(?:const|var|let)\s+\w+\s{0,4}=|function\s|@echo\s|Set-|\$\w+\s{0,3}=|(?:curl|wget|sudo|export|set\s-e)\b)/m.test(
    new TextDecoder("latin1").decode(data.subarray(0, 2000)),
  );
const isNoText = (path: string) => !["text", undefined].includes(promisedKind(path));
const quietNames =
  /^\.(?:[\w-]{1,30}rc|eslintrc|prettierrc|babelrc|stylelintrc|commitlintrc|lintstagedrc|releaserc|mocharc|nycrc|remarkrc|vscode|env)(?:\.[\w.-]{1,20})?$/;

export const archiveTextRules: readonly TextRule[] = [
  {
    id: "archives.download-with-password",
    severity: "malicious",
    sentence: "Has an archive with a password downloaded, which no scanner can open.",
    match: near(
      one(archiveLink, (text) => hostKindIn(text) !== "local"),
      one(password),
      5,
    ),
  },
];

export const archiveFileRules: readonly FileRule[] = [
  {
    id: "archives.disguised-program",
    severity: "malicious",
    sentence: "Is a program with the name of another kind of file.",
    matchFile: ({ kind, path }) => kind === "program" && promisedKind(path) !== undefined,
  },
  {
    id: "archives.program",
    severity: "suspicious",
    sentence: "Is a compiled program, whose text can't be examined.",
    matchFile: ({ kind, path }) => kind === "program" && promisedKind(path) === undefined,
  },
  {
    id: "archives.bytecode",
    severity: "note",
    sentence: "Is compiled code, whose text can't be examined.",
    matchFile: ({ kind }) => kind === "bytecode",
  },
  {
    id: "archives.disguised-script",
    severity: "malicious",
    sentence: "Is a script with the name of a picture, a font or a document.",
    matchFile: (file) =>
      isNoText(file.path) && (file.kind === "script" || (file.kind === "text" && looksLikeCode(file))),
  },
  {
    id: "archives.disguised-archive",
    severity: "suspicious",
    sentence: "Is an archive with the name of another kind of file.",
    matchFile: (file) => {
      const promised = promisedKind(file.path);
      return (
        isArchive(file) &&
        promised !== undefined &&
        promised !== "zip" &&
        promised !== "office" &&
        !isDocumentZip(file.path)
      );
    },
  },
  {
    id: "archives.other-format",
    severity: "note",
    sentence: "Is not of the format that its name promises.",
    matchFile: (file) => {
      const promised = promisedKind(file.path);
      const isText = file.kind === "text" && !startsWith(file, pointer) && !looksLikeCode(file);
      return (
        (isNoText(file.path) && isText) ||
        (promised === "text" && ["image", "pdf", "office", "binary"].includes(file.kind))
      );
    },
  },
  {
    id: "archives.opaque",
    severity: "suspicious",
    sentence: "Is an archive of a format that can't be examined.",
    matchFile: ({ kind }) => kind === "opaque-archive",
  },
  {
    id: "archives.hidden-script",
    severity: "suspicious",
    sentence: "Is a program with a name that file managers don't show.",
    matchFile: ({ path, kind, data, isExecutable, depth }) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const isProgram =
        kind === "script" || isExecutable || ["sh", "py", "ps1", "rb", "pl"].includes(endingOf(name));
      return depth === 0 && data.length > 0 && name.startsWith(".") && isProgram && !quietNames.test(name);
    },
  },
];
