import { writeSync } from "node:fs";

/** A terminal that gives each key as it is pressed. */
export interface RawTerminal {
  /** Stops this process, as Ctrl-Z does elsewhere; the modes are back once it goes on. */
  suspend(): void;
  /** Runs work that has the terminal for itself, such as an editor. */
  outside<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): void;
}

/** Who is told of the terminal. */
interface TerminalEvents {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onResize: () => void;
  /** Somebody else had the terminal meanwhile: what was drawn is not there any more. */
  readonly onReturn: () => void;
  readonly onEnd: () => void;
}

/**
 * Puts the terminal of this process into raw mode, with bracketed paste and, where the terminal knows them, keys with all
 * their modifiers; nothing is asked, so that no answer is waited for. However the process ends, its modes are restored: by
 * `close`, and at its exit, to which signals and what is thrown lead as well.
 */
export function openRawTerminal(events: TerminalEvents): RawTerminal {
  const { stdin, stdout } = process;
  let areOn = false;
  const setModes = (isRaw: boolean) => {
    try {
      // What the shell, or an editor, has set meanwhile is not known to Node: it would think that nothing is to be done.
      stdin.setRawMode(!isRaw);
      stdin.setRawMode(isRaw);
      // Terminals count how often they were asked for the keys of kitty.
      writeSync(stdout.fd, `${areOn ? modesOff : ""}${isRaw ? modesOn : ""}`);
      areOn = isRaw;
    } catch {
      // The terminal is gone.
    }
  };
  const restore = () => setModes(false);
  let isStopping = false;
  const goOn = () => {
    isStopping = false;
    setModes(true);
    events.onReturn();
  };
  let isFirst = true;
  const onBytes = (bytes: Uint8Array) => {
    events.onBytes(isFirst ? typedBefore(bytes) : bytes);
    isFirst = false;
  };
  const listen = (change: "on" | "off") => {
    stdin[change]("data", onBytes)[change]("end", events.onEnd)[change]("error", events.onEnd);
    stdout[change]("resize", events.onResize);
    process[change]("SIGCONT", goOn)[change]("exit", restore);
  };
  listen("on");
  setModes(true);
  stdin.resume();
  return {
    suspend: () => {
      restore();
      isStopping = true;
      // The whole group, as the terminal itself does: a program that started this one waits for it in the same group.
      process.kill(0, "SIGTSTP");
      // Where nobody could wake it the system does not stop it, and no signal follows.
      setTimeout(() => setImmediate(() => isStopping && goOn()), 100);
    },
    outside: async (work) => {
      restore();
      stdin.pause();
      process.off("SIGCONT", goOn);
      try {
        return await work();
      } finally {
        process.on("SIGCONT", goOn);
        stdin.resume();
        goOn();
      }
    },
    close: () => {
      listen("off");
      restore();
      stdin.pause();
    },
  };
}

/** A line that was typed before the program had started ends as the terminal ended lines then: with what is Ctrl+J now. */
function typedBefore(bytes: Uint8Array): Uint8Array {
  const isLine = bytes.length > 1 && bytes.indexOf(lineFeed) === bytes.length - 1;
  return isLine ? Uint8Array.from([...bytes.subarray(0, -1), carriageReturn]) : bytes;
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Bracketed paste, the keys of kitty, modifyOtherKeys of xterm; terminals pass over what they do not know. */
const modesOn = "\u001b[?2004h\u001b[>5u\u001b[>4;1m";
const modesOff = "\u001b[>4;0m\u001b[<u\u001b[?2004l";
