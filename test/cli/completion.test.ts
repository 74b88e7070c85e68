import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, describe, it } from "node:test";
import { skillTypes, targets, visibilities } from "../../contract/vocabulary.ts";
import { root } from "../support/root.ts";
import { plainEnv } from "../support/server.ts";
import { makeFixture } from "./fixture.ts";
import { svc, temporaryFolder } from "./harness.ts";

/** Candidates for the last word, without descriptions. */
async function candidates(
  home: string,
  words: readonly string[],
  shell = "fish",
  env: NodeJS.ProcessEnv = {},
) {
  const { code, stdout, stderr } = await svc(["__complete", shell, "--", ...words], { home, env });
  assert.deepEqual([code, stderr], [0, ""]);
  const [offer, ...lines] = stdout.trimEnd().split("\n");
  return { offer, values: lines.map((line) => line.split("\t")[0]!) };
}

describe("completion", () => {
  it("offers commands and the members of a group", async (t) => {
    const home = await temporaryFolder(t);
    const values = async (...words: string[]) => (await candidates(home, words)).values;

    assert.ok((await values("")).includes("install") && (await values("")).includes("help"));
    assert.deepEqual(await values("fol"), ["folders"]);
    assert.deepEqual(await values("folders", ""), ["list", "create"]);
    assert.deepEqual(await values("folders", "-t", "x", "c"), ["create"]);
    assert.deepEqual(await values("folders", "--t"), ["--team"]);
    assert.deepEqual(await values("help", "profile", "s"), ["switch"]);
    assert.deepEqual(await values("help", "who"), ["whoami"]);
    assert.deepEqual(await values("nonsense", ""), []);
    assert.deepEqual(await values("__c"), []);
  });

  it("offers flags that are neither given nor excluded", async (t) => {
    const home = await temporaryFolder(t);
    const values = async (...words: string[]) => (await candidates(home, words)).values;

    const fresh = await values("publish", "--");
    for (const flag of ["--team", "--visibility", "--create", "--update", "--output", "--help"])
      assert.ok(fresh.includes(flag), flag);
    const later = await values("publish", "x", "--create", "-t", "acme", "--");
    assert.ok(!later.includes("--create") && !later.includes("--update") && !later.includes("--team"));
    assert.deepEqual(await values("publish", "--", "--cr"), []);
  });

  it("offers the values of a closed set, and the rest of a list", async (t) => {
    const home = await temporaryFolder(t);
    const values = async (...words: string[]) => (await candidates(home, words)).values;

    assert.deepEqual(await values("publish", "--visibility", ""), [...visibilities]);
    assert.deepEqual(await values("publish", "--type=r"), ["--type=rule"]);
    assert.deepEqual((await candidates(home, ["publish", "--type", "=", "r"], "bash")).values, ["rule"]);
    assert.deepEqual((await candidates(home, ["publish", "--type", "="], "bash")).values, [...skillTypes]);
    assert.deepEqual(await values("install", "x", "-t", ""), [...targets]);
    assert.deepEqual(await values("install", "x", "-t", "claude,cu"), ["claude,cursor"]);
    assert.deepEqual(await values("completion", ""), ["bash", "zsh", "fish"]);
    assert.deepEqual(await values("-o", ""), ["json"]);
  });

  it("leaves paths to the shell", async (t) => {
    const home = await temporaryFolder(t);
    assert.equal((await candidates(home, ["publish", ""])).offer, "files");
    assert.equal((await candidates(home, ["push", "-s", "x", "./a"])).offer, "files");
    assert.equal((await candidates(home, ["install", "x", "--project", ""])).offer, "folders");
    assert.deepEqual(await candidates(home, ["publish", "a", ""]), { offer: "none", values: [] });
  });

  it("offers installed skills and existing profiles, without a service", async (t) => {
    const { run, home } = await makeFixture(t);
    await run("profile", "create", "work");
    await run("install", "review", "-t", "claude", "-g");
    await run("install", "kit", "-t", "claude", "-g", "--profile", "work");

    for (const command of ["uninstall", "pull"]) {
      assert.deepEqual((await candidates(home, [command, ""])).values, ["review"]);
      assert.deepEqual((await candidates(home, [command, "--profile", "work", ""])).values, ["kit"]);
      const env = { SVC_PROFILE: "work", SVC_API_URL: "http://127.0.0.1:1" };
      assert.deepEqual((await candidates(home, [command, "k"], "fish", env)).values, ["kit"]);
    }
    assert.deepEqual((await candidates(home, ["profile", "switch", ""])).values, ["default", "work"]);
    assert.deepEqual((await candidates(home, ["whoami", "--profile", "w"])).values, ["work"]);
    assert.deepEqual((await candidates(home, ["whoami", "--profile", "gone", "x"])).values, []);
  });

  it("prints nothing if the local state is damaged, and leaves it unchanged", async (t) => {
    const home = await temporaryFolder(t);
    await mkdir(join(home, ".svc"));
    await writeFile(join(home, ".svc", "config.json"), "{");
    assert.deepEqual(await candidates(home, ["uninstall", ""]), { offer: "none", values: [] });
  });

  it("prints a script as text and as a document", async (t) => {
    const home = await temporaryFolder(t);
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await svc(["completion", shell], { home });
      const { data } = await svc(["completion", shell, "-o", "json"], { home });
      assert.deepEqual(data, { shell, script: stdout });
    }
  });
});

/** Installed shells; CI requires all of them. */
function needsShell(name: string): { skip?: string } {
  const isHere = spawnSync(name, ["-c", "true"]).status === 0;
  return isHere || process.env["CI"] === "true" ? {} : { skip: `needs ${name}` };
}

/** `svc` on the path, and a home with two profiles. */
async function shellFixture(t: TestContext) {
  const home = await temporaryFolder(t);
  await mkdir(join(home, "work", "my folder"), { recursive: true });
  await writeFile(join(home, "work", "my skill.md"), "x");
  assert.equal((await svc(["profile", "create", "night-shift"], { home })).code, 0);
  const env = plainEnv({ HOME: home, TERM: "dumb" });
  env["PATH"] = `${join(root, "bin")}:${env["PATH"]}`;
  return {
    run: (shell: string, ...args: string[]): SpawnSyncReturns<string> =>
      spawnSync(shell, args, { cwd: join(home, "work"), env, encoding: "utf8", timeout: 60_000 }),
  };
}

describe("completion in bash", needsShell("bash"), () => {
  it("completes words as bash splits them", async (t) => {
    const { run } = await shellFixture(t);
    // Without readline, a script can call the function as bash does, with the words as bash has split them.
    const script = `
source <(svc completion bash)
complete -p svc || exit 1
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s|' "\${COMPREPLY[@]}"; echo; }
ask svc fol
ask svc folders ""
ask svc publish --visibility = pr
ask svc install x -t claude,cu
ask svc profile switch ni
ask svc whoami --pro
ask svc "*" "it's"
`;
    const { stdout, stderr, status } = run("bash", "--norc", "--noprofile", "-c", script);
    assert.equal(stderr, "");
    assert.equal(status, 0);
    assert.deepEqual(stdout.trimEnd().split("\n"), [
      "complete -F _svc svc",
      "folders|",
      "list|create|",
      "private|",
      "claude,cursor|",
      "night-shift|",
      "--profile|",
      "|",
    ]);
  });
});

describe("completion in zsh", needsShell("zsh"), () => {
  it("completes at a prompt", async (t) => {
    const { run } = await shellFixture(t);
    // A zsh inside zsh, since only an interactive one completes. Each line is typed, completed and printed.
    const script = `
zmodload zsh/zpty
zpty z "PS1='' TERM=dumb zsh -f -i"
zpty -w z "autoload -Uz compinit && compinit -u -D; source <(svc completion zsh); unsetopt zle_bracketed_paste 2>/dev/null; bindkey '^X' expand-or-complete; _show() { print -r -- \\"<\\$BUFFER>\\"; BUFFER=; zle accept-line }; zle -N _show; bindkey '^Y' _show; print READY"
zpty -r z out '*READY*READY*'
for line in 'svc fol' 'svc folders cr' 'svc publish --visibility=pri' 'svc profile switch ni' 'svc publish my\\ s'; do
  zpty -n -w z "$line"$'\\x18'$'\\x19'
  zpty -r z out '*<*>*'
  print -r -- "\${\${out##*<}%%>*}"
done
zpty -d z
`;
    const { stdout, stderr } = run("zsh", "-f", "-c", script);
    assert.equal(stderr, "");
    assert.deepEqual(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd()),
      [
        "svc folders",
        "svc folders create",
        "svc publish --visibility=private",
        "svc profile switch night-shift",
        "svc publish my\\ skill.md",
      ],
    );
  });
});

describe("completion in fish", needsShell("fish"), () => {
  it("completes a line, with descriptions", async (t) => {
    const { run } = await shellFixture(t);
    const script = `
svc completion fish | source
for line in "svc fol" "svc folders " "svc publish --visibility=pri" "svc profile switch ni" "svc publish my"
  complete -C "$line"
  echo ==
end
`;
    const { stdout, stderr } = run("fish", "--no-config", "-c", script);
    assert.equal(stderr, "");
    const blocks = stdout
      .split("==\n")
      .slice(0, -1)
      .map((block) => block.trimEnd().split("\n"));
    assert.match(blocks[0]!.join(), /^folders\tList and create the folders/);
    assert.deepEqual(
      blocks.slice(1, 4).map((block) => block.map((line) => line.split("\t")[0]!).toSorted()),
      [["create", "list"], ["--visibility=private"], ["night-shift"]],
    );
    assert.deepEqual(blocks[4]!.map((line) => line.split("\t")[0]!).toSorted(), [
      "my folder/",
      "my skill.md",
    ]);
  });
});
