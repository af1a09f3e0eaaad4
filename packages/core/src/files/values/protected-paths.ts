import { withoutInvisible } from "../../text/index.js";

/**
 * Paths that run code by themselves, or decide which code runs: a program looks at them without being told to,
 * when a folder is opened, a commit is made, a shell starts. Reading them is allowed; writing needs a person.
 */
export interface ProtectedPath {
  /**
   * One or more names in a row, at any depth: `.git`, `.vscode/tasks.json`. All below the last one is meant, too.
   * A `*` stands for any letters of one name.
   */
  readonly path: string;
  /** What is protected, as the sentence of a refusal says it. */
  readonly reason: string;
  /** Where it is written that code runs by it. */
  readonly source: string;
}

/** @param names separated by spaces. */
function rows(reason: string, source: string, names: string): readonly ProtectedPath[] {
  return names.split(" ").map((path) => ({ path, reason, source }));
}

const versionControl = "the inside of the version control";
const startUp = "a start-up file of a shell or session";
const toolStart = "a start-up file of a tool, which can run commands";
const agent = "configuration of an agent, which can run commands";
const editor = "editor settings that can run commands";
const hook = "a hook that runs commands";
const workflow = "a workflow that runs commands";
const packages = "configuration of a package manager, which can run commands";
const environment = "a description of a workspace, which runs commands when it is opened";
const keys = "keys and their configuration";

/** Every row is tested on its own (`test/files/protected-paths.test.ts`). */
export const protectedPaths: readonly ProtectedPath[] = [
  ...rows(
    versionControl,
    "git-config(1): core.fsmonitor, core.sshCommand; githooks(5)",
    ".git .config/git .gitconfig",
  ),
  ...rows(versionControl, "hgrc(5): hooks, extensions", ".hg .hgrc"),
  ...rows(versionControl, "their own configuration names hooks and tools to run", ".svn .jj .bzr .sl _darcs"),
  ...rows(
    startUp,
    "bash(1), sh(1): invocation",
    ".bashrc .bashrc.d .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .inputrc",
  ),
  ...rows(startUp, "zsh(1): startup and shutdown files", ".zshrc .zshenv .zprofile .zlogin .zlogout"),
  ...rows(startUp, "ksh(1), csh(1)", ".kshrc .cshrc .tcshrc .login .logout"),
  ...rows(
    startUp,
    "the shells' manuals: configuration files",
    ".config/fish .config/nushell .config/powershell",
  ),
  ...rows(startUp, "startx(1), Xsession(5)", ".xinitrc .xserverrc .xprofile .xsession .xsessionrc"),
  ...rows(
    startUp,
    "systemd.unit(5), environment.d(5): unit files of a user",
    ".config/systemd .local/share/systemd .config/environment.d",
  ),
  ...rows(
    startUp,
    "Desktop Application Autostart Specification",
    ".config/autostart .config/plasma-workspace",
  ),
  ...rows(startUp, "launchd.plist(5): agents of a user", "Library/LaunchAgents"),
  ...rows(startUp, "direnv(1), autoenv: run when a shell enters the folder", ".envrc .autoenv .autoenv.zsh"),
  ...rows(
    toolStart,
    "the tools' manuals: initialisation files of the working folder, or of one that is served",
    ".gdbinit .lldbinit .tmux.conf .screenrc .irbrc .pryrc .pdbrc .psqlrc .sqliterc .ghci .iex.exs .Rprofile .Renviron " +
      ".octaverc .ocamlinit .latexmkrc latexmkrc .pylintrc pylintrc .ycm_extra_conf.py .venv/bin site-packages/*.pth " +
      ".user.ini .htaccess",
  ),
  ...rows(
    agent,
    "the agents' documentation: hooks, permissions, servers of the protocol that are started",
    ".mcp.json .agents .claude .claude.json .gemini .codex .cursor .windsurf .roo .cline .clinerules .kiro .amazonq .continue " +
      ".opencode .opencode.json opencode.json opencode.jsonc .pi .aider.conf.yml .qwen .crush .crush.json crush.json " +
      ".goose .trae .junie .augment .factory .copilot .kilocode .kode .iflow .codebuddy .zencoder .amp .openhands .github/hooks",
  ),
  ...rows(agent, "Visual Studio Code: servers of the protocol", ".vscode/mcp.json"),
  ...rows(agent, "ours: what the tools may reach", ".holdfast .holdfastignore"),
  ...rows(environment, "containers.dev: lifecycle scripts", ".devcontainer .devcontainer.json"),
  ...rows(
    environment,
    "their documentation: tasks of a workspace",
    ".gitpod.yml .gitpod .idx .replit .codesandbox devbox.json flake.nix shell.nix",
  ),
  ...rows(
    editor,
    "Visual Studio Code: tasks that run when a folder is opened, paths of programs in settings",
    ".vscode/settings.json .vscode/tasks.json .vscode/launch.json *.code-workspace",
  ),
  ...rows(editor, "Visual Studio: tasks and launch settings", ".vs"),
  ...rows(editor, "Zed: tasks and language servers", ".zed .config/zed"),
  ...rows(
    editor,
    "JetBrains: run configurations, file watchers, startup tasks",
    ".idea .run/*.run.xml .fleet",
  ),
  ...rows(
    editor,
    "vim: exrc, modelines; Neovim: exrc",
    ".vim .vimrc _vimrc .gvimrc .exrc .nvimrc .nvim.lua .lvimrc .config/nvim",
  ),
  ...rows(
    editor,
    "Emacs: init file, per-directory variables",
    ".emacs .emacs.d .dir-locals.el .dir-locals-2.el",
  ),
  ...rows(editor, "Helix, Kakoune, Sublime Text: commands in settings", ".helix .kakrc *.sublime-project"),
  ...rows(hook, "githooks(5): core.hooksPath, as teams set it", ".husky .githooks .git-hooks"),
  ...rows(
    hook,
    "pre-commit: configuration",
    ".pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml",
  ),
  ...rows(
    hook,
    "lefthook: names of its configuration, and the folder of its scripts",
    ["yml", "yaml", "json", "jsonc", "toml"]
      .flatMap((kind) =>
        ["", "."].flatMap((dot) => [`${dot}lefthook.${kind}`, `${dot}lefthook-local.${kind}`]),
      )
      .concat(".lefthook", ".lefthook-local")
      .join(" "),
  ),
  ...rows(
    hook,
    "overcommit, simple-git-hooks, CaptainHook, lint-staged",
    ".overcommit.yml .simple-git-hooks.* simple-git-hooks.* captainhook.json .lintstagedrc .lintstagedrc.* lint-staged.config.*",
  ),
  ...rows(
    workflow,
    "GitHub Actions: workflows, composite actions",
    ".github/workflows .github/actions action.yml action.yaml",
  ),
  ...rows(
    workflow,
    "Gitea, Forgejo: actions",
    ".gitea/workflows .gitea/actions .forgejo/workflows .forgejo/actions",
  ),
  ...rows(workflow, "GitLab CI", ".gitlab-ci.yml .gitlab-ci.yaml"),
  ...rows(
    workflow,
    "the systems' documentation: the file that says what is run",
    ".circleci .travis.yml azure-pipelines.yml azure-pipelines.yaml .azure-pipelines .buildkite Jenkinsfile .drone.yml " +
      ".drone.star .drone.jsonnet .woodpecker .woodpecker.yml .woodpecker.yaml bitbucket-pipelines.yml .cirrus.yml " +
      ".cirrus.star .semaphore appveyor.yml .appveyor.yml .teamcity .tekton .build.yml .builds cloudbuild.yaml " +
      "cloudbuild.yml buildspec.yml buildspec.yaml .harness",
  ),
  ...rows(packages, "npm-config(7): script-shell, git, node-options", ".npmrc"),
  ...rows(
    packages,
    "Yarn: yarnPath and plugins are run by every command",
    ".yarnrc .yarnrc.yml .yarn/releases .yarn/plugins",
  ),
  ...rows(packages, "pnpm: hooks", ".pnpmfile.cjs .pnpmfile.mjs"),
  ...rows(packages, "Bun: preload", "bunfig.toml .bunfig.toml"),
  ...rows(
    packages,
    "mise: hooks, tasks, env of a folder that is entered",
    "mise.toml .mise.toml mise.local.toml .mise.local.toml mise/config.toml .mise .rtx.toml .config/mise .config/mise.toml",
  ),
  ...rows(packages, "Cargo: build.rustc-wrapper, runner, alias", ".cargo/config.toml .cargo/config"),
  ...rows(packages, "rustup: path of the toolchain", "rust-toolchain.toml rust-toolchain"),
  ...rows(packages, "Gradle, Bazel: wrappers", "gradlew gradlew.bat gradle/wrapper tools/bazel"),
  ...rows(packages, "Maven: arguments of the JVM, extensions, wrapper", ".mvn"),
  ...rows(packages, "Bundler: build flags, local overrides", ".bundle"),
  ...rows(keys, "ssh_config(5): ProxyCommand, authorized_keys; gpg.conf(5)", ".ssh .gnupg"),
];

/** Written by the file tools as any other file, and yet read by an agent as if a person had said it. */
const instructions: readonly ProtectedPath[] = rows(
  "instructions that an agent reads by itself",
  "agents.md; the agents' documentation",
  "AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md CONVENTIONS.md " +
    ".cursorrules .windsurfrules .goosehints .github/copilot-instructions.md .github/instructions .github/chatmodes",
);

/** The row by which a path is protected; undefined where none does. Names are compared as `foldName` sees them. */
export const protectionOf = rowFinder(protectedPaths);

const instructionOf = rowFinder(instructions);

/**
 * Why a program goes by a file without being told to; undefined for any other file.
 *
 * @returns `isLive` where a program that is open does so at once, and not only when it is started the next time.
 */
export function runsLater(path: string): (ProtectedPath & { readonly isLive: boolean }) | undefined {
  const row = protectionOf(path) ?? instructionOf(path);
  return row && { ...row, isLive: [startUp, agent, editor, environment, keys].includes(row.reason) };
}

interface NamedRow {
  readonly row: ProtectedPath;
  /** The names of `row.path`, folded. */
  readonly names: readonly string[];
}

function rowFinder(table: readonly ProtectedPath[]): (path: string) => ProtectedPath | undefined {
  const named = table.map((row): NamedRow => ({ row, names: row.path.split("/").map(foldName) }));
  const withPatterns = named.filter(({ names }) => names[0]?.includes("*"));
  const byFirstName = new Map<string, readonly NamedRow[]>();
  for (const row of named.filter(({ names }) => !names[0]?.includes("*")))
    byFirstName.set(row.names[0] ?? "", [...(byFirstName.get(row.names[0] ?? "") ?? []), row]);
  return (path) => {
    const parts = path.split("/").map(foldName);
    const isAt = (at: number) => (one: NamedRow) =>
      one.names.every((name, offset) => fits(name, parts[at + offset] ?? ""));
    for (const [at, part] of parts.entries()) {
      const found = byFirstName.get(part)?.find(isAt(at)) ?? withPatterns.find(isAt(at));
      if (found !== undefined) return found.row;
    }
    return undefined;
  };
}

/** @param pattern a folded name with at most one `*`. */
function fits(pattern: string, name: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === name;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

/**
 * The letters-only equality of two names on the most forgiving file system: one that folds case in full, normalises,
 * ignores what cannot be seen, drops trailing dots and spaces and has alternate streams and short names.
 */
export function foldName(name: string): string {
  // What nearly every name is; asked for each part of each path that is written.
  if (/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return name.toLowerCase();
  // By way of the upper case: only so `ß` and `ss` are one. In front of it the lower case: `ẞ` is its own upper case.
  const bare = withoutInvisible(name.normalize("NFKC"))
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "");
  return /^git~\d+$/.test(bare) ? ".git" : bare;
}
