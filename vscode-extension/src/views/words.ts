// Numbers and times in words.

/** "1 error", "2 errors". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** How long something took or takes, in the unit that says it best: "12 s", "3 min", "5 h", "2 d". */
export function lasting(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds < 60) {
    return `${seconds} s`
  }
  return minutes < 60 ? `${minutes} min` : hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}
