# For Doxygen: formulas in documentation comments, indented by three blanks or more, become blocks of code, which keep
# their lines. What is indented below a list item belongs to the item.
function close_block() { if (in_block) { print "///"; in_block = 0 } }
/^ *\/\/\/ +- / { close_block(); in_list = 1; print; next }
/^ *\/\/\/   / && !in_list {
  if (!in_block) { print "///"; in_block = 1 }
  sub(/\/\/\/   /, "///      ")
  print
  next
}
/^ *\/\/\/   / { print; next }
{ close_block(); in_list = 0; print }
