# For Doxygen: formulas in documentation comments, indented by three blanks or more, keep their lines. What is indented
# below a list item belongs to the item.
function close_block() { if (in_block) { print "/// @endverbatim"; in_block = 0 } }
/^ *\/\/\/ +- / { close_block(); in_list = 1; print; next }
/^ *\/\/\/   / {
  if (!in_list && !in_block) { print "/// @verbatim"; in_block = 1 }
  print
  next
}
{ close_block(); in_list = 0; print }
